/** Metadata of a commit that integrations mean as a link: `::lakefs::<label>::url[url:ui]`. */

interface MetadataLink {
  readonly label: string;
  readonly url: string;
  /** Shown, so that users see where it leads. */
  readonly host: string;
}

const pattern = /^::lakefs::(.+)::ur[li]\[ur[li]:ui\]$/;

/** `undefined` for plain metadata, and for what leads anywhere but to a web page. */
export function metadataLink(key: string, value: string): MetadataLink | undefined {
  const label = pattern.exec(key)?.[1];
  if (label === undefined || !URL.canParse(value)) return undefined;
  const url = new URL(value);
  return /^https?:$/.test(url.protocol) ? { label, url: url.href, host: url.host } : undefined;
}
