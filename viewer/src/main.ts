import { App } from "./app.ts";
import { byId, element } from "./dom.ts";
import { Film } from "./film.ts";

/** Shows why the page does not play. */
function fail(error: unknown): void {
    const text = error instanceof Error ? error.message : String(error);
    const message = byId("message");
    message.replaceChildren(element("b", {}, "This run cannot be shown"), text.charAt(0).toUpperCase() + text.slice(1) + ".");
    message.hidden = false;
    document.documentElement.dataset.state = "failed";
}

async function start(): Promise<void> {
    if (typeof DecompressionStream === "undefined") {
        throw new Error("this browser is too old: it needs DecompressionStream (Chrome 80, Firefox 113, Safari 16.4 or newer)");
    }
    const film = new Film((name) => document.getElementById(`data-${name}`)?.textContent);
    const app = new App(film, fail);
    await app.start();
    // For tests, and for people who look at the page with the tools of their browser.
    (window as unknown as { stiction: App }).stiction = app;
}

start().catch(fail);
