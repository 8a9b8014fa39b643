/** What the page lends to its parts. */
import { lend } from '@srv/lib-page/page';

lend({
  ChangeTree: () => import('../views/changes/change-tree.js').then(module => module.ChangeTree),
  Code: () => import('../views/object/code.js').then(module => module.Code),
  ConflictDialog: () => import('../views/compare/resolve-dialog.js').then(module => module.ResolveDialog),
  Content: () => import('../views/object/content.js').then(module => module.Content),
  DataTable: () => import('../views/object/data-table.js').then(module => module.DataTable),
  Markdown: () => import('../views/object/markdown.js').then(module => module.Markdown),
});
