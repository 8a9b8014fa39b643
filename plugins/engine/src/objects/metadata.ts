/** Names in the metadata of objects that have a meaning here. */

/**
 * A checksum of the content, as a client gave it. It adds nothing to the content: which of many checksums a
 * client happens to send makes no other object, and no difference between branches.
 */
export const checksumKey = 'X-Amz-Checksum';
