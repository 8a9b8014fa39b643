import { Button, SessionOver, dismiss, notices } from '@srv/lib-page/page';

/** Notes at the edge of the page, read aloud as they come. */
export function Notices() {
  return (
    <div class="notices" role="status" aria-live="polite">
      <SessionOver />
      {notices.value.map(({ id, kind, text }) => (
        <div key={id} class={`notice ${kind}`}>
          <span class="grow">{text}</span>
          <Button kind="plain" icon="close" label="Dismiss" onClick={() => dismiss(id)} />
        </div>
      ))}
    </div>
  );
}
