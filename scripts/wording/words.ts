/**
 * Words and phrases that prose here never uses, with what to write instead: they read as a private dialect, or as a
 * translation. A space stands for any white space, so that a phrase is found across lines; each is matched as whole words
 * and in any case.
 *
 * What needs grammar is left out, or narrowed to what a pattern can decide: openings such as "What is kept is …" outside of
 * test names, `as good` in comparisons, and `look` as a noun after other words than those below.
 */
interface Wording {
  /** Part of a regular expression. */
  readonly words: string;
  readonly instead: string;
}

export const wordings: readonly Wording[] = [
  { words: 'nobody', instead: 'name who does not: "no client", "anonymous", "no live process"' },
  { words: 'somebody|anybody|whoever', instead: 'name who: "a client", "another process", "the caller"' },
  { words: 'whatever it', instead: 'say what' },
  { words: 'thereof', instead: '"of it", or the noun' },
  { words: 'anew', instead: '"again", "re…"' },
  { words: 'besides', instead: '"in addition to", "also", "except"' },
  { words: 'tells?(?! me)|told|telling', instead: '"reports", "shows", "distinguishes", "informs"; "receives", "learns"' },
  {
    words:
      '(?<!(?:left|leaves?|leaving|falls?|lags?) (?:[\\w-]+ ){0,3})behind(?! (?:an? |the |its |your |this |another )?(?:[\\w-]+ ){0,2}(?:prox(?:y|ies)|load balancers?|firewall|NAT))',
    instead: '"after", "following"; a place: "on the other side of"',
  },
  {
    words:
      '(?:is|are|was|were) no(?! longer| more| less| later| earlier| fewer| larger| smaller| better| worse| such| other| limit)(?=\\s+[a-z])(?<!there (?:is|are|was|were) no)',
    instead: '"is not a …"',
  },
  { words: 'there is none|is none|are none|was none', instead: '"does not exist", "has no …"' },
  { words: 'that of others', instead: 'name what' },
  { words: '(?:is|are|be|was|were|still) at it', instead: '"is doing it", "is working on it"' },
  { words: '(?:has|have|had|having) (?:a|no) say', instead: '"decides", "counts"' },
  { words: 'came to|(?:came|comes?|coming) of', instead: '"result", "reached"' },
  { words: 'lately', instead: '"recently"' },
  { words: '(?:go|goes|going|went|gone) on', instead: '"continue", "resume"' },
  { words: 'vouch(?:es)? for', instead: '"accepts", "authenticates", "is trusted"' },
  { words: '(?:to|for|from|by|refuses|admits|then) who', instead: 'the noun: "to clients that have it"' },
  { words: 'by (?:itself|themselves)', instead: '"alone", "on its own", "without …"' },
  { words: 'strangers?', instead: '"third party", "unknown user"' },
  { words: '(?:is|are|was|were|be) as good', instead: '"is accepted", "is equivalent"' },
  { words: 'lives', instead: '"runs", "is stored", "lasts"' },
  {
    words: '(?:an?|one|two|another|each|every|the|no|any|first|last|second|closer|further) looks?',
    instead: '"check", "read", "lookup"',
  },
  { words: 'so many', instead: '"that many", or the number' },
  { words: 'of all that', instead: 'name what' },
];

/** How no test name begins: it names its subject and what that does. */
export const openings = 'what|who|those';
