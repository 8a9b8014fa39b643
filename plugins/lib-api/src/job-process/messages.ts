/** What a server and the process of a job say to each other, after the server has sent the job. */

/** From the process: its last word, or something that it waits for. */
export type FromProcess = { readonly answer: unknown } | { readonly question: unknown };

/** To the process: a question is settled. */
export const settled = 'settled';
