/** What the page computes without a browser, for its parts too. */
export { decodedUri } from './decoded-uri.js';
export { ownValue } from './own-value.js';
export { fitsStorePattern } from './store-pattern.js';
export { agoText, counted, grouped, shortRef, shownName, shownText, sizeText } from './text.js';
