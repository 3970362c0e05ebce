"""The interface of IPC Toolkit's Python package `ipctk` 1.6, computed by stiction.

For programs written for `ipctk`: `import stiction.ipctk as ipctk`, or `stiction.use_as_ipctk()` before they are imported.
Names, argument names, shapes and orders are those of `ipctk`; distances are squared wherever they are there. In this module alone:
the rest of stiction speaks of distances in m.
"""

# Functions and barriers.
from ._adhesion import (
    max_normal_adhesion_force_magnitude,
    normal_adhesion_potential,
    normal_adhesion_potential_first_derivative,
    normal_adhesion_potential_second_derivative,
    smooth_mu_a0,
    smooth_mu_a1,
    smooth_mu_a1_over_x,
    smooth_mu_a2,
    smooth_mu_a2_x_minus_mu_a1_over_x3,
    tangential_adhesion_f0,
    tangential_adhesion_f1,
    tangential_adhesion_f1_over_x,
    tangential_adhesion_f2,
    tangential_adhesion_f2_x_minus_f1_over_x3,
)
from ._barrier import (
    Barrier,
    ClampedLogBarrier,
    ClampedLogSqBarrier,
    CubicBarrier,
    NormalizedClampedLogBarrier,
    TwoStageBarrier,
    barrier,
    barrier_first_derivative,
    barrier_force_magnitude,
    barrier_force_magnitude_gradient,
    barrier_second_derivative,
)
from ._box import (
    AABB,
    build_edge_boxes,
    build_face_boxes,
    build_vertex_boxes,
    edge_edge_aabb_ccd,
    edge_edge_aabb_cd,
    edge_triangle_aabb_cd,
    point_edge_aabb_ccd,
    point_edge_aabb_cd,
    point_triangle_aabb_ccd,
    point_triangle_aabb_cd,
)
from ._crossing import edge_triangle_intersection, is_edge_intersecting_triangle, segment_segment_intersect
from ._distance import (
    EdgeEdgeDistanceType,
    PointEdgeDistanceType,
    PointTriangleDistanceType,
    edge_edge_distance,
    edge_edge_distance_gradient,
    edge_edge_distance_hessian,
    edge_edge_distance_type,
    edge_edge_parallel_distance_type,
    line_line_distance,
    line_line_distance_gradient,
    line_line_distance_hessian,
    line_line_signed_distance,
    line_line_signed_distance_gradient,
    line_line_signed_distance_hessian,
    point_edge_distance,
    point_edge_distance_gradient,
    point_edge_distance_hessian,
    point_edge_distance_type,
    point_line_distance,
    point_line_distance_gradient,
    point_line_distance_hessian,
    point_line_signed_distance,
    point_line_signed_distance_gradient,
    point_line_signed_distance_hessian,
    point_plane_distance,
    point_plane_distance_gradient,
    point_plane_distance_hessian,
    point_plane_signed_distance,
    point_plane_signed_distance_gradient,
    point_plane_signed_distance_hessian,
    point_point_distance,
    point_point_distance_gradient,
    point_point_distance_hessian,
    point_triangle_distance,
    point_triangle_distance_gradient,
    point_triangle_distance_hessian,
    point_triangle_distance_type,
)
from ._edges import edges, vertex_to_min_edge
from ._extent import (
    max_displacement_length,
    max_edge_length,
    mean_displacement_length,
    mean_edge_length,
    median_displacement_length,
    median_edge_length,
    suggest_good_voxel_size,
    world_bbox_diagonal_length,
)
from ._friction import (
    anisotropic_mu_eff_f,
    smooth_friction_f0,
    smooth_friction_f1,
    smooth_friction_f1_over_x,
    smooth_friction_f2,
    smooth_friction_f2_x_minus_f1_over_x3,
    smooth_mu,
    smooth_mu_derivative,
    smooth_mu_f0,
    smooth_mu_f1,
    smooth_mu_f1_over_x,
    smooth_mu_f2,
    smooth_mu_f2_x_minus_mu_f1_over_x3,
)
from ._geometry import (
    cross_product_matrix,
    cross_product_matrix_jacobian,
    dihedral_angle,
    dihedral_angle_gradient,
    edge_length_gradient,
    line_line_normal,
    line_line_normal_hessian,
    line_line_normal_jacobian,
    line_line_unnormalized_normal,
    line_line_unnormalized_normal_hessian,
    line_line_unnormalized_normal_jacobian,
    normalization_and_jacobian,
    normalization_and_jacobian_and_hessian,
    normalization_hessian,
    normalization_jacobian,
    point_line_normal,
    point_line_unnormalized_normal,
    point_line_unnormalized_normal_jacobian,
    triangle_area_gradient,
    triangle_normal,
    triangle_normal_hessian,
    triangle_normal_jacobian,
    triangle_unnormalized_normal,
    triangle_unnormalized_normal_hessian,
    triangle_unnormalized_normal_jacobian,
)
from ._logger import LoggerLevel, set_logger_level
from ._mollifier import (
    edge_edge_cross_squarednorm,
    edge_edge_cross_squarednorm_gradient,
    edge_edge_cross_squarednorm_hessian,
    edge_edge_mollifier,
    edge_edge_mollifier_derivative_wrt_eps_x,
    edge_edge_mollifier_gradient,
    edge_edge_mollifier_gradient_derivative_wrt_eps_x,
    edge_edge_mollifier_gradient_jacobian_wrt_x,
    edge_edge_mollifier_gradient_wrt_x,
    edge_edge_mollifier_hessian,
    edge_edge_mollifier_threshold,
    edge_edge_mollifier_threshold_gradient,
)
from ._plane import Hyperplane, check_initial_distance, point_static_plane_ccd
from ._projection import PSDProjectionMethod, project_to_pd, project_to_psd
from ._tangent import (
    edge_edge_closest_point,
    edge_edge_closest_point_jacobian,
    edge_edge_relative_velocity,
    edge_edge_relative_velocity_dx_dbeta,
    edge_edge_relative_velocity_jacobian,
    edge_edge_tangent_basis,
    edge_edge_tangent_basis_jacobian,
    point_edge_closest_point,
    point_edge_closest_point_jacobian,
    point_edge_relative_velocity,
    point_edge_relative_velocity_dx_dbeta,
    point_edge_relative_velocity_jacobian,
    point_edge_tangent_basis,
    point_edge_tangent_basis_jacobian,
    point_point_relative_velocity,
    point_point_relative_velocity_dx_dbeta,
    point_point_relative_velocity_jacobian,
    point_point_tangent_basis,
    point_point_tangent_basis_jacobian,
    point_triangle_closest_point,
    point_triangle_closest_point_jacobian,
    point_triangle_relative_velocity,
    point_triangle_relative_velocity_dx_dbeta,
    point_triangle_relative_velocity_jacobian,
    point_triangle_tangent_basis,
    point_triangle_tangent_basis_jacobian,
)
from ._threads import get_num_threads, set_num_threads

# Meshes, filters, candidates, continuous collision detection, trust regions.
from . import filib, ogc, tight_inclusion
from ._broad_phase import (
    LBVH,
    BroadPhase,
    BruteForce,
    HashGrid,
    HashItem,
    LBVH_Node,
    SpatialHash,
    SweepAndPrune,
)
from ._candidates import Candidates, compute_collision_free_stepsize, is_step_collision_free
from ._ccd import (
    AdditiveCCD,
    IntervalNonlinearTrajectory,
    NarrowPhaseCCD,
    NonlinearCCD,
    NonlinearTrajectory,
    TightInclusionCCD,
    inexact_point_edge_ccd_2D,
)
from ._filter import (
    CollisionFilter,
    make_connected_components_filter,
    make_sparse_filter,
    make_static_obstacle_filter,
    make_vertex_patches_filter,
)
from ._intersection import has_intersections
from ._mesh import CollisionMesh
from ._stencil import (
    CollisionStencil,
    EdgeEdgeCandidate,
    EdgeFaceCandidate,
    EdgeVertexCandidate,
    FaceFaceCandidate,
    FaceVertexCandidate,
    PlaneVertexCandidate,
    VertexVertexCandidate,
)

# Collisions and potentials.
from ._missing import (
    Edge2Point2Collision,
    Point2Point2Collision,
    SmoothCollision2,
    SmoothCollisions,
    SmoothContactParameters,
    SmoothPotential,
)
from ._normal import NormalCollisions
from ._normal_collision import (
    EdgeEdgeNormalCollision,
    EdgeVertexNormalCollision,
    FaceVertexNormalCollision,
    NormalCollision,
    PlaneVertexNormalCollision,
    VertexVertexNormalCollision,
)
from ._potential import BarrierPotential, NormalAdhesionPotential, NormalPotential
from ._stiffness import initial_barrier_stiffness, semi_implicit_stiffness, update_barrier_stiffness
from ._tangential import TangentialCollisions
from ._tangential_collision import (
    EdgeEdgeTangentialCollision,
    EdgeVertexTangentialCollision,
    FaceVertexTangentialCollision,
    PlaneVertexTangentialCollision,
    TangentialCollision,
    VertexVertexTangentialCollision,
)
from ._tangential_potential import FrictionPotential, TangentialAdhesionPotential, TangentialPotential

__version__ = "1.6.1"

# Members of enumerations under their own names, of the last one that has them.
P_E = PointEdgeDistanceType.P_E
P_T0, P_T1, P_T2 = PointTriangleDistanceType.P_T0, PointTriangleDistanceType.P_T1, PointTriangleDistanceType.P_T2
P_E0, P_E1, P_E2 = PointTriangleDistanceType.P_E0, PointTriangleDistanceType.P_E1, PointTriangleDistanceType.P_E2
P_T = PointTriangleDistanceType.P_T
EA0_EB0, EA0_EB1 = EdgeEdgeDistanceType.EA0_EB0, EdgeEdgeDistanceType.EA0_EB1
EA1_EB0, EA1_EB1 = EdgeEdgeDistanceType.EA1_EB0, EdgeEdgeDistanceType.EA1_EB1
EA_EB0, EA_EB1 = EdgeEdgeDistanceType.EA_EB0, EdgeEdgeDistanceType.EA_EB1
EA0_EB, EA1_EB = EdgeEdgeDistanceType.EA0_EB, EdgeEdgeDistanceType.EA1_EB
EA_EB, AUTO = EdgeEdgeDistanceType.EA_EB, EdgeEdgeDistanceType.AUTO
NONE, CLAMP, ABS = PSDProjectionMethod.NONE, PSDProjectionMethod.CLAMP, PSDProjectionMethod.ABS
trace, debug, info, warn = LoggerLevel.trace, LoggerLevel.debug, LoggerLevel.info, LoggerLevel.warn
error, critical, off = LoggerLevel.error, LoggerLevel.critical, LoggerLevel.off
