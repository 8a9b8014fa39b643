/** The message of a refused change, with what features add to it. */
import { Refusal, messageOf } from '../core/client.js';
import { refusalNotes } from '../core/registry.js';

export function explained(error: unknown, repository: string) {
  const message = messageOf(error);
  if (!(error instanceof Refusal)) return message;
  return (
    <>
      {message}
      {refusalNotes.value
        .filter(({ status }) => status === error.status)
        .map(note => (
          <div key={note.id}>{note.render({ repository, message })}</div>
        ))}
    </>
  );
}
