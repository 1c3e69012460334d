// Tests read times and numbers as they are written in Britain, wherever they run.
Object.defineProperty(navigator, "languages", { value: ["en-GB"], configurable: true });
