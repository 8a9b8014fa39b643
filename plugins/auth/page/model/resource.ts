/** Names of resources, as policies have them. */

export const userResource = (id: string): string => `arn:lakefs:auth:::user/${id}`;
export const groupResource = (id: string): string => `arn:lakefs:auth:::group/${id}`;
export const policyResource = (id: string): string => `arn:lakefs:auth:::policy/${id}`;
