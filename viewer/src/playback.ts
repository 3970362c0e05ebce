import { firstFrom } from "./curves.ts";

/** The clock of a film: which frame is due. */
export class Playback {
    playing = false;
    loop = true;
    /** Seconds of the film for each second that passes. */
    speed: number;
    /** Seconds of the film since its first frame. */
    private now = 0;
    private readonly times: number[];

    constructor(times: number[]) {
        this.times = clockTimes(times);
        this.speed = niceSpeed(this.duration);
    }

    get duration(): number {
        return this.times[this.times.length - 1];
    }

    get frame(): number {
        const after = firstFrom(this.times, this.now + 1e-12 * this.duration + 1e-300);
        return Math.max(0, Math.min(this.times.length, after) - 1);
    }

    seek(frame: number): void {
        this.now = this.times[Math.max(0, Math.min(this.times.length - 1, Math.round(frame)))];
    }

    /** Lets seconds pass. At the end it begins again, or stops. */
    advance(seconds: number): void {
        if (!this.playing) return;
        this.now += seconds * this.speed;
        if (this.now <= this.duration) return;
        const pause = 0.4 * this.speed;
        if (this.loop && this.times.length > 1) {
            if (this.now > this.duration + pause) this.now = 0;
        } else {
            this.now = this.duration;
            this.playing = false;
        }
    }

    toggle(): void {
        this.playing = !this.playing && this.times.length > 1;
        if (this.playing && !this.loop && this.now >= this.duration) this.now = 0;
    }

    faster(factor: number): void {
        this.speed *= factor;
    }
}

/** Times since the first frame; evenly spaced ones where the film has none that rise. */
function clockTimes(times: number[]): number[] {
    const shifted = times.map((time) => time - times[0]);
    const rise = shifted.every((time, index) => index === 0 || time > shifted[index - 1]);
    return rise ? shifted : times.map((_, index) => index / 24);
}

/** Real time where a film then takes 2 to 30 seconds, otherwise a power of two of it that makes it take about ten. */
export function niceSpeed(duration: number): number {
    if (!(duration > 0) || (duration >= 2 && duration <= 30)) return 1;
    return 2 ** Math.round(Math.log2(duration / 8));
}

/** A speed as people write it: ×1, ×1/8, ×4. */
export function speedLabel(speed: number): string {
    if (speed >= 1) return `×${Number(speed.toPrecision(3))}`;
    const inverse = 1 / speed;
    return inverse < 1e4 ? `×1/${Number(inverse.toPrecision(3))}` : `×${speed.toExponential(1)}`;
}
