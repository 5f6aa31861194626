/** Does something as soon as what was just changed is shown, which is before anybody can press a key again. */
export const onceShown = (then: () => void) => queueMicrotask(then);

/** Gives the focus to the first field that is wrong, once that is shown: of the form that has the focus, else of any. */
export const focusWrong = () => onceShown(() => (document.activeElement?.closest("main form") ?? document).querySelector<HTMLElement>('main form [aria-invalid="true"]')?.focus());
