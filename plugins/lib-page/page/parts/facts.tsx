/** Values as people read them, exact on hover. */
import { agoText, grouped, shortRef, shownName, sizeText } from '../../src/model/text.js';
import { messageOf } from '../core/client.js';
import { notify } from '../core/notices.js';
import { Button } from './button.js';

/** Made when first needed, and once: that costs more than a row of a list. */
let exact: Intl.DateTimeFormat | undefined;

/** @param seconds since 1970. */
export function Time({ seconds }: { readonly seconds: number }) {
  const date = new Date(seconds * 1000);
  exact ??= new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });
  return (
    <time class="nowrap" dateTime={date.toISOString()} title={`${exact.format(date)}\n${date.toISOString()}`}>
      {agoText(seconds, Date.now())}
    </time>
  );
}

export function Size({ bytes }: { readonly bytes: number }) {
  return (
    <span class="nowrap" title={`${grouped(bytes)} bytes`}>
      {sizeText(bytes)}
    </span>
  );
}

export const RefName = ({ id }: { readonly id: string }) => (
  <bdi class="mono" title={id}>
    {shownName(shortRef(id))}
  </bdi>
);

export function copyText(text: string, what: string): void {
  navigator.clipboard.writeText(text).then(
    () => notify(`Copied ${what}`),
    (error: unknown) => notify(`Cannot copy: ${messageOf(error)}`, 'failed'),
  );
}

export function Copy({ text, what }: { readonly text: string; readonly what: string }) {
  return <Button kind="plain" icon="copy" label={`Copy ${what}`} onClick={() => copyText(text, what)} />;
}
