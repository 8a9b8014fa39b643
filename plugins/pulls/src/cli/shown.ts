/** Checks as commands show them. */
interface ShownChecks {
  readonly commit_id: string;
  readonly status: string;
  readonly results: readonly {
    readonly run_id: string;
    readonly hook_run_id: string;
    readonly action: string;
    readonly hook_id: string;
    readonly status: string;
  }[];
}

export function checkLines({ status, results }: ShownChecks): readonly string[] {
  if (status === 'none') return ['Checks: none have run'];
  return [
    `Checks: ${status}`,
    ...results.map(check => `  ${check.status} ${check.action} / ${check.hook_id} (run ${check.run_id}, hook ${check.hook_run_id})`),
  ];
}
