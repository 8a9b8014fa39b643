/** Texts of files as people should see them. */

/** Characters that turn the direction of writing, or cannot be seen at all; line ends and tabs are what they look like. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const unseen = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/** A text could otherwise say something else than what programs read. */
export function visibleText(text: string): string {
  return text.replace(unseen, char => `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`);
}
