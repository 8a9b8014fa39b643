/** What features say of a refused change, then the message. */
import { Refusal, messageOf } from '../core/client.js';
import { refusalNotes } from '../core/registry.js';

export function explained(error: unknown, repository: string) {
  const message = messageOf(error);
  if (!(error instanceof Refusal)) return message;
  const notes = refusalNotes.value.filter(({ status }) => status === error.status);
  return (
    <>
      {notes.map(note => (
        <div key={note.id}>{note.render({ repository, message })}</div>
      ))}
      {notes.length > 0 ? <p class="muted small">{message}</p> : message}
    </>
  );
}
