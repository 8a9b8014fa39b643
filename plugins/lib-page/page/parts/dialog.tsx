/** Dialogs: the browser's own, with its focus rules. */
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { SessionEnded, messageOf } from '../core/client.js';
import { Button } from './button.js';
import { SessionOver } from './session-over.js';
import { Alert } from './states.js';
import type { ComponentChildren } from 'preact';

interface DialogProps {
  readonly title: string;
  readonly wide?: boolean | undefined;
  /** Work that must not be left: Escape and the cross do nothing. */
  readonly busy?: boolean;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
  readonly foot?: ComponentChildren;
}

export function Dialog({ title, wide, busy = false, onClose, children, foot }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const dialog = element.current;
    const before = document.activeElement;
    dialog?.showModal();
    return () => {
      // Once the dialog has left the document, something else may have the focus already.
      const { activeElement } = document;
      const isFree = activeElement === null || activeElement === document.body || dialog?.contains(activeElement) === true;
      if (dialog?.isConnected) dialog.close();
      if (isFree && before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);
  return (
    <dialog
      ref={element}
      class={wide ? 'wide' : ''}
      aria-labelledby={id}
      onCancel={event => {
        event.preventDefault();
        if (!busy) onClose();
      }}
    >
      <div class="dialog-head">
        <h2 id={id}>{title}</h2>
        <Button kind="plain" icon="close" label="Close" off={busy && 'wait until the work is done'} onClick={onClose} />
      </div>
      <div class="dialog-body">
        <SessionOver />
        {children}
      </div>
      {foot && <div class="dialog-foot">{foot}</div>}
    </dialog>
  );
}

interface FormDialogProps {
  readonly title: string;
  readonly action: string;
  readonly kind?: 'primary' | 'danger primary';
  /** Why the form cannot be sent. */
  readonly off?: string | false | undefined;
  readonly wide?: boolean | undefined;
  readonly onClose: () => void;
  /** What was typed stays when it fails. @throws what the dialog shows. */
  readonly onSubmit: () => Promise<void>;
  /** How a failure is shown; the message alone when absent. */
  readonly describe?: (error: unknown) => ComponentChildren;
  readonly children: ComponentChildren;
}

/** A form in a dialog. It stays open until the work is done, and after a failure. */
export function FormDialog({ title, action, kind = 'primary', off, wide, onClose, onSubmit, describe, children }: FormDialogProps) {
  const [state, setState] = useState<{ busy: boolean; error?: unknown }>({ busy: false });
  const form = useId();
  const keepFocus = useKeptFocus(state.busy);
  // The dialog itself says that the session has ended.
  const hasProblem = state.error !== undefined && !(state.error instanceof SessionEnded);
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    if (state.busy) return;
    // The message of an attempt before does not stay for this one.
    if (!off) keepFocus();
    setState({ busy: !off });
    if (off) return;
    try {
      await onSubmit();
    } catch (error) {
      setState({ busy: false, error });
    }
  };
  return (
    <Dialog
      title={title}
      busy={state.busy}
      onClose={onClose}
      wide={wide}
      foot={
        <>
          <Button off={state.busy && 'working'} onClick={onClose}>
            Cancel
          </Button>
          <button
            class={`button ${kind}`}
            type="submit"
            form={form}
            aria-disabled={off || state.busy ? true : undefined}
            title={off || (state.busy ? 'working' : undefined)}
          >
            {state.busy && <span class="spin" />}
            {action}
          </button>
        </>
      }
    >
      <form id={form} class="form" onSubmit={submit} noValidate>
        {hasProblem && <Alert>{describe?.(state.error) ?? messageOf(state.error)}</Alert>}
        <fieldset disabled={state.busy} class="form bare">
          {children}
        </fieldset>
      </form>
    </Dialog>
  );
}

/**
 * Fields that are disabled while the form is busy lose the focus, which browsers do not give back.
 * @returns notes what has the focus; it gets it again once the form is no longer busy, unless something else has it by then.
 */
function useKeptFocus(isBusy: boolean): () => void {
  const kept = useRef<Element | null>(null);
  useEffect(() => {
    if (isBusy) return;
    const { activeElement } = document;
    const isFree = activeElement === null || activeElement === document.body || activeElement instanceof HTMLDialogElement;
    if (isFree && kept.current instanceof HTMLElement && kept.current.isConnected) kept.current.focus();
    kept.current = null;
  }, [isBusy]);
  return () => {
    kept.current = document.activeElement;
  };
}

interface ConfirmProps {
  readonly title: string;
  readonly action: string;
  readonly children: ComponentChildren;
  readonly onClose: () => void;
  readonly onConfirm: () => Promise<void>;
}

/** Asks before something is lost. */
export function Confirm({ title, action, children, onClose, onConfirm }: ConfirmProps) {
  return (
    <FormDialog title={title} action={action} kind="danger primary" onClose={onClose} onSubmit={onConfirm}>
      {children}
    </FormDialog>
  );
}
