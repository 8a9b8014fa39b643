/** A usage report as text: the answer of the API to `Accept: text/plain`. */

interface UsageSummary {
  readonly installation_id: string;
  readonly reports: readonly { readonly year: number; readonly month: number; readonly count: number }[];
}

/** One line per month, the count right-aligned in 12 columns. */
export function summaryText({ installation_id: id, reports }: UsageSummary): string {
  const lines = reports.map(
    ({ year, month, count }) => `${String(year).padStart(4, '0')}-${String(month).padStart(2, '0')}: ${String(count).padStart(12)}`,
  );
  return [`Usage for installation ID: ${id}`, ...lines, ''].join('\n');
}
