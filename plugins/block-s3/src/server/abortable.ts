/** How a request of the client is cancelled. @returns its options. */
export function abortable(signal: AbortSignal | undefined): { readonly abortSignal?: AbortSignal } {
  return signal ? { abortSignal: signal } : {};
}
