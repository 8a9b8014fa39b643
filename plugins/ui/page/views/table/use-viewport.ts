/** What part of a box that scrolls is in sight, in pixels. */
import { useEffect, useState } from 'preact/hooks';
import type { RefObject } from 'preact';
import type { Viewport } from '../../../src/model/grid-sight.js';

/** @param content its size changes with this. */
export function useViewport(box: RefObject<HTMLElement | null>, content: string): Viewport {
  const [view, setView] = useState<Viewport>({ top: 0, left: 0, height: innerHeight * 0.7, width: innerWidth });
  useEffect(() => {
    const look = (): void => {
      if (!box.current) return;
      const { scrollTop: top, scrollLeft: left, clientHeight: height, clientWidth: width } = box.current;
      setView(old =>
        old.top === top && old.left === left && old.height === height && old.width === width ? old : { top, left, height, width },
      );
    };
    let waiting = 0;
    const soon = (): void => {
      waiting ||= requestAnimationFrame(() => {
        waiting = 0;
        look();
      });
    };
    look();
    const element = box.current;
    element?.addEventListener('scroll', soon, { passive: true });
    addEventListener('resize', soon);
    return () => {
      element?.removeEventListener('scroll', soon);
      removeEventListener('resize', soon);
      cancelAnimationFrame(waiting);
    };
  }, [content]);
  return view;
}
