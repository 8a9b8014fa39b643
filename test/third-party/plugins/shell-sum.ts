/** `sum(list, field)` in the shell: `sum(_, 'size_bytes')` after `ls -r`. */
import { definePlugin } from '@srv/kernel';

type Row = Readonly<Record<string, unknown>>;

export default definePlugin({
  name: 'shell-sum',
  apply({ hooks }) {
    hooks.repl.tap('shell-sum', names => {
      names['sum'] = (rows: readonly Row[], field: string) => rows.reduce((total, row) => total + Number(row[field] ?? 0), 0);
    });
  },
});
