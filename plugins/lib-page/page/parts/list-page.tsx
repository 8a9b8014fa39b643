/** A view that is a list: its toolbar and the head of its rows stay in sight while the window scrolls. */
import { useEffect, useRef } from 'preact/hooks';
import type { ComponentChildren } from 'preact';

interface ListPageProps {
  readonly onDragOver?: (event: DragEvent) => void;
  readonly onDrop?: (event: DragEvent) => void;
  /** A toolbar and a card with rows are direct children: nothing further within, such as a list in a box, is moved. */
  readonly children: ComponentChildren;
}

export function ListPage({ children, ...events }: ListPageProps) {
  const box = useRef<HTMLDivElement>(null);
  // The head stands below the toolbar, which takes more lines in narrow windows.
  useEffect(() => {
    const observer = new ResizeObserver(() => {
      const toolbar = box.current?.querySelector<HTMLElement>(':scope > .toolbar');
      box.current?.style.setProperty('--toolbar', `${toolbar?.offsetHeight ?? 0}px`);
    });
    if (box.current) observer.observe(box.current);
    return () => observer.disconnect();
  }, []);
  return (
    <div class="list-page" ref={box} {...events}>
      {children}
    </div>
  );
}
