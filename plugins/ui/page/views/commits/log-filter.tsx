/** Which commits the log shows: those that changed an object or what is below a prefix, of some days, with a text. */
import { Button, Search, shownName, usePlace } from '@srv/lib-page/page';
import { useAddressText } from '../../core/address-text.js';

export interface LogFilter {
  readonly object: string | undefined;
  readonly prefix: string | undefined;
  /** In the message, the author, the id or the metadata. */
  readonly text: string | undefined;
  /** Days, such as `2026-05-01`. */
  readonly since: string | undefined;
  readonly until: string | undefined;
}

/** What the address asks for; `undefined`: all commits. */
export function useLogFilter(): LogFilter | undefined {
  const { object, prefix, q: text, since, until } = usePlace().query;
  const filter = { object, prefix, text, since: dayOf(since), until: dayOf(until) };
  return Object.values(filter).every(value => value === undefined) ? undefined : filter;
}

const dayOf = (text: string | undefined): string | undefined =>
  text !== undefined && /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(text)) ? text : undefined;

export function LogFilterBadge({ filter: { object, prefix } }: { readonly filter: LogFilter }) {
  const place = usePlace();
  if (object === undefined && prefix === undefined) return null;
  return (
    <span class="badge accent">
      {object === undefined ? 'below' : 'of'} {shownName(object ?? prefix ?? '')}
      <Button kind="plain" icon="close" label="All commits" onClick={() => place.vary({ object: undefined, prefix: undefined })} />
    </span>
  );
}

export function LogSearch({ filter }: { readonly filter: LogFilter | undefined }) {
  const place = usePlace();
  const [text, setText] = useAddressText('q', 'log');
  const day = (name: 'since' | 'until', label: string) => (
    <label class="group small">
      {label}
      <input
        class="input short-input"
        type="date"
        value={filter?.[name] ?? ''}
        onChange={event => place.vary({ [name]: event.currentTarget.value || undefined }, { replace: true })}
      />
    </label>
  );
  return (
    <div class="card-head">
      <Search label="Message, author, id or metadata" value={text} onInput={setText} />
      {day('since', 'From')}
      {day('until', 'Until')}
    </div>
  );
}
