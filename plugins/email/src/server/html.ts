/** Text and links inside of HTML. */

export function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}

/** A whole page. @param body HTML. */
export function page(title: string, body: string): string {
  return [
    '<!DOCTYPE html>',
    `<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escapeHtml(title)}</title>`,
    '<style>body{font-family:sans-serif;line-height:1.5;max-width:24rem;margin:3rem auto;padding:0 1rem}input,button{font:inherit;display:block;width:100%;box-sizing:border-box;margin:.25rem 0 1rem;padding:.4rem}[role=alert]{color:#a00}</style>',
    `</head><body><main><h1>${escapeHtml(title)}</h1>`,
    body,
    '</main></body></html>',
    '',
  ].join('\n');
}
