/** Says that the session has ended, while the view is kept for what was typed into it. */
import { to } from '../core/links.js';
import { session } from '../core/session.js';
import { Alert } from './states.js';

export function SessionOver() {
  const { value } = session;
  if (value.state !== 'in' || !value.isOver) return null;
  return (
    <Alert>
      Your session has ended.{' '}
      <a href={to('repositories')} target="_blank" rel="noopener">
        Log in again in another tab
      </a>
      , then come back: what you typed is still here.
    </Alert>
  );
}
