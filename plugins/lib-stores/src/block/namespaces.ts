/**
 * Namespaces in an installation with several block stores. What is given to a store (the namespace of a pointer, the URI of
 * a walk) may name it in front, `<storage id>+<scheme>://…`, as compound schemes do; addresses that come from a store never do.
 */

/** What a storage id may be: up to 64 letters, digits, `.`, `_` and `-`. It stands in front of addresses, in records and in labels of metrics. */
const storageIds = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

export function isStorageId(text: string): boolean {
  return storageIds.test(text);
}

interface Storage {
  /** Empty: the store that needs no id. */
  readonly storageId: string;
  /** As users give and see it: `<scheme>://<bucket>/<path>`. */
  readonly storageNamespace: string;
}

/** The namespace of a repository as pointers carry it. */
export function namespaceOf({ storageId, storageNamespace }: Storage): string {
  return storageId === '' ? storageNamespace : `${storageId}+${storageNamespace}`;
}

/** The other way around. A namespace without a storage id, or with another text there, is returned as it is. */
export function splitNamespace(namespace: string): Storage {
  const plus = namespace.indexOf('+');
  const storageId = namespace.slice(0, Math.max(plus, 0));
  return isStorageId(storageId)
    ? { storageId, storageNamespace: namespace.slice(plus + 1) }
    : { storageId: '', storageNamespace: namespace };
}

/** An address in the store of `namespace`, to be given to that store. */
export function inStoreOf(namespace: string, address: string): string {
  return namespaceOf({ storageId: splitNamespace(namespace).storageId, storageNamespace: address });
}
