/** Names that clients must carry unchanged through URLs, signatures, XML and file systems, in both directions. */

const printable = Array.from({ length: 0x7f - 0x20 }, (_, i) => String.fromCharCode(0x20 + i));
/** A slash separates folders. */
const special = printable.filter(char => /[^A-Za-z0-9/]/.test(char));

/** Every character of printable ASCII: the special ones at the beginning, in the middle, doubled, and at the end. */
const ofAscii = [
  `${printable.filter(char => /[A-Za-z0-9]/.test(char)).join('')}.txt`,
  ...special.flatMap(char => [`${char}first`, `in${char}side, in${char}${char}side`, `last${char}`]),
  ...special.map(char => `folder${char}/${char}file`),
];

/** What looks like an escape but is not. */
const escapes = [
  '%41',
  '%2F',
  '%2f%2E%2e%2F',
  '%25',
  '%%',
  '%zz',
  '%e9',
  '%C3%BC',
  '%00',
  '100%',
  '+%2B+',
  '&amp;',
  '&#x41;',
  '\\n',
  '\\u0041',
];

/** Composed and decomposed they look alike and are different names. */
const combining = [
  '\u00fc.txt',
  'u\u0308.txt',
  '\u1ec7',
  'e\u0323\u0302',
  'e\u0302\u0323',
  '\u30ac',
  '\u30ab\u3099',
  '\u0e01\u0e33',
  '\ud55c',
  '\u1112\u1161\u11ab',
];

const unicode = [
  'ünïcödé 日本 🙂.txt',
  'ßİıſ',
  'עברית',
  'العربية',
  '𝒜𐍈𠜎',
  '👩‍🚀👨‍👩‍👧🇪🇺',
  // The last character that is not reserved.
  '\u{10fffd}',
  // Spaces and marks that programs like to trim or to drop: no break, ideographic, of no width, byte order.
  '\u00a0nbsp\u00a0',
  '\u3000wide\u3000',
  'zero\u200bwidth',
  '\ufeffbom',
  'line\u2028and paragraph\u2029separators',
  'next\u0085line',
  '\u202eoverride',
];

const controls = ['tab\there', 'line\nfeed', 'carriage\rreturn', 'start\u0001', 'escape\u001b[31m', 'delete\u007f'];

/** Relative paths of files, all of them different. */
export const awkwardNames: readonly string[] = [
  'plain.txt',
  'a b.txt',
  'a+b.txt',
  'a%20b.txt',
  "&=?#;@$,!'()[]{}~^.txt",
  'deep/er/file.txt',
  'Case',
  'case',
  ...ofAscii,
  ...escapes,
  ...combining,
  ...unicode,
  ...controls,
];

/** One name of each kind: for ways to the server that hand over names in the same bytes as another, which carries all of them. */
export const someNames: readonly string[] = awkwardNames.filter(
  (name, i) => i < 8 || [escapes, combining, unicode, controls].some(([first]) => first === name),
);
