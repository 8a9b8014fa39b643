/** Addresses of what the page holds in memory. */
import { useEffect, useState } from 'preact/hooks';

/** @returns an address as long as the view stands; `undefined` until it is made. */
export function useBlobUrl(content: BlobPart, type: string): string | undefined {
  const [url, setUrl] = useState<string>();
  useEffect(() => {
    const made = URL.createObjectURL(new Blob([content], { type }));
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [content, type]);
  return url;
}
