/** Text from elsewhere as a part of a key: it may hold what separates the parts. */
export const keyPart = (text: string): string => text.replaceAll('%', '%25').replaceAll('/', '%2F');
