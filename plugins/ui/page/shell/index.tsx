/** The shell, at an address of its own; beside a view it is in the dock. */
import { later, registry } from '@srv/lib-page/page';

const Shell = later(() => import('./shell.js').then(module => module.Shell));

function ShellPage() {
  return (
    <>
      <h1 class="shell-title">Shell</h1>
      <Shell />
    </>
  );
}

registry.page({ id: 'shell', title: 'Shell', order: 80, isInBar: false, render: () => <ShellPage /> });
