/** What was typed into forms of the page, which neither the end of a session nor a redrawn view may take away. */

/** Fields that find something or run commands (`search`, `combobox`) hold nothing that would be missed. */
const fields = 'textarea, input:not([type=search], [type=checkbox], [type=radio], [role=combobox])';

const typedInto = new WeakSet<EventTarget>();
addEventListener(
  'input',
  ({ target }) => {
    if (target) typedInto.add(target);
  },
  true,
);

/** Whether a dialog is open, or a field of a form is not empty that a person typed into. */
export function holdsTypedText(): boolean {
  if (document.querySelector('dialog[open]')) return true;
  const found = document.querySelectorAll<HTMLInputElement | HTMLTextAreaElement>(fields);
  return [...found].some(field => typedInto.has(field) && field.value !== '');
}
