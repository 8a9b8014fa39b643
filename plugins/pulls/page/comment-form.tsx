/** A text to say. */
import { Button, Field } from '@srv/lib-page/page';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { ComponentChildren } from 'preact';

interface CommentFormProps {
  readonly label: string;
  readonly off: string | undefined;
  /** @returns whether it was said. */
  readonly onSay: (body: string) => Promise<boolean>;
  readonly text?: string;
  readonly focus?: boolean;
  readonly children?: ComponentChildren;
}

export function CommentForm({ label, off, onSay, text = '', focus = false, children }: CommentFormProps) {
  const [body, setBody] = useState(text);
  const [busy, setBusy] = useState(false);
  const form = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (focus) form.current?.querySelector('textarea')?.focus();
  }, []);
  const say = async (): Promise<void> => {
    setBusy(true);
    if (await onSay(body)) setBody('');
    setBusy(false);
  };
  return (
    <div class="form" ref={form}>
      <Field label={label} value={body} onInput={setBody} lines={2} hint="Markdown, without HTML" />
      <div class="group">
        <Button off={off ?? (body.trim() === '' ? 'write something first' : busy ? 'sending' : undefined)} onClick={() => void say()}>
          {label}
        </Button>
        {children}
      </div>
    </div>
  );
}
