/** Small helpers for elements. Texts are always set as text, never as markup. */
type Child = Node | string | undefined;

export function element<K extends keyof HTMLElementTagNameMap>(tag: K, attributes: Record<string, string> = {}, ...children: Child[]): HTMLElementTagNameMap[K] {
    const made = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
    made.append(...children.filter((child) => child !== undefined));
    return made;
}

export function byId<T extends HTMLElement = HTMLElement>(id: string): T {
    const found = document.getElementById(id);
    if (!found) throw new Error(`the page has no element "${id}"`);
    return found as T;
}

export function select(label: string, options: [string, string][], value: string, change: (value: string) => void): HTMLSelectElement {
    const made = element("select", { "aria-label": label });
    fill(made, options, value);
    made.addEventListener("change", () => {
        change(made.value);
        made.blur();
    });
    return made;
}

export function fill(made: HTMLSelectElement, options: [string, string][], value: string): void {
    made.replaceChildren(...options.map(([key, text]) => element("option", { value: key }, text)));
    made.value = value;
}

export function checkbox(label: string, on: boolean, change: (on: boolean) => void): { row: HTMLLabelElement; input: HTMLInputElement } {
    const input = element("input", { type: "checkbox" });
    input.checked = on;
    input.addEventListener("change", () => {
        change(input.checked);
        input.blur();
    });
    return { row: element("label", { class: "check" }, input, element("span", {}, label)), input };
}

export function slider(label: string, [low, high, step]: [number, number, number], value: number, change: (value: number) => void): HTMLInputElement {
    const made = element("input", { type: "range", min: `${low}`, max: `${high}`, step: `${step}`, "aria-label": label, title: label });
    made.value = `${value}`;
    made.addEventListener("input", () => change(Number(made.value)));
    return made;
}

/** Local memory of a choice; pages in notebooks may have none. */
export const memory = {
    get(key: string): string | null {
        try {
            return localStorage.getItem(`stiction-${key}`);
        } catch {
            return null;
        }
    },
    set(key: string, value: string): void {
        try {
            localStorage.setItem(`stiction-${key}`, value);
        } catch {
            // It is only a convenience.
        }
    },
};
