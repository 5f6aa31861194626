/** Runs a function as soon as the last change is rendered, before the next key press. */
export const afterRender = (then: () => void) => queueMicrotask(then);

/** Focuses the first invalid field once it is rendered: of the form that has the focus, otherwise of any form. */
export const focusWrong = () => afterRender(() => (document.activeElement?.closest("main form") ?? document).querySelector<HTMLElement>('main form [aria-invalid="true"]')?.focus());
