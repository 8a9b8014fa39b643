/** Hands a file to the browser's downloads. */

/** Milliseconds after which the browser has taken the content. */
const revokeAfterMs = 60_000;

export function saveAs(content: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), revokeAfterMs);
}
