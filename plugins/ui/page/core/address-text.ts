/** A text that people type and that the address keeps, so that a link and *Back* bring it again. */
import { usePlace } from '@srv/lib-page/page';
import { useEffect, useRef, useState } from 'preact/hooks';

/** Milliseconds after the last key. */
const typingMs = 300;

/** @param name of the parameter. @param about what the text belongs to: with another one, that of the address counts. */
export function useAddressText(name: string, about: string): [text: string, setText: (text: string) => void] {
  const place = usePlace();
  const known = place.query[name] ?? '';
  const [text, setText] = useState(known);
  const seen = useRef({ known, about });
  const isOld = seen.current.about !== about || seen.current.known !== known;
  useEffect(() => {
    if (!isOld) return;
    seen.current = { known, about };
    setText(known);
  }, [known, about]);
  useEffect(() => {
    if (isOld || text === known) return undefined;
    const timer = setTimeout(() => {
      seen.current = { known: text, about };
      place.vary({ [name]: text === '' ? undefined : text }, { replace: true });
    }, typingMs);
    return () => clearTimeout(timer);
  }, [text, known, about]);
  return [isOld ? known : text, setText];
}
