/** Sizes of pages. */
const defaultAmount = 100;
const maxAmount = 1000;

/** Items of a page: the requested 1 to 1000, otherwise 100. */
export function pageSize(amount: number | undefined): number {
  return amount === undefined || amount <= 0 ? defaultAmount : Math.min(amount, maxAmount);
}
