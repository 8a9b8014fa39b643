/** Back and forward lead to where the page was scrolled to. Lists load meanwhile: the browser's own memory would come too early. */

/** Milliseconds that lists have to come. */
const patience = 5000;
/** What people do to scroll themselves. */
const byHand = ['wheel', 'touchstart', 'keydown', 'pointerdown'];

interface Remembered {
  readonly scrolled?: number;
}

/** Called once, by the page. */
export function rememberScrolling(): void {
  history.scrollRestoration = 'manual';
  addEventListener('scrollend', () => {
    const { state } = history as { readonly state: Remembered | null };
    if ((state?.scrolled ?? 0) !== scrollY) history.replaceState({ ...state, scrolled: scrollY }, '');
  });
  addEventListener('popstate', ({ state }) => restore((state as Remembered | null)?.scrolled ?? 0));
}

function restore(wanted: number): void {
  const controller = new AbortController();
  const { signal } = controller;
  for (const name of byHand) addEventListener(name, () => controller.abort(), { signal, passive: true });
  addEventListener('popstate', () => controller.abort(), { signal });
  const end = performance.now() + patience;
  const step = (): void => {
    if (signal.aborted) return;
    scrollTo(0, wanted);
    if (Math.abs(scrollY - wanted) > 1 && performance.now() < end) requestAnimationFrame(step);
    else controller.abort();
  };
  requestAnimationFrame(step);
}
