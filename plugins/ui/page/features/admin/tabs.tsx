/** Tabs within a section. */
export function Tabs({
  label,
  tabs,
  open,
}: {
  readonly label: string;
  readonly tabs: readonly { readonly id: string; readonly title: string; readonly href: string }[];
  readonly open: string;
}) {
  return (
    <nav class="tabs gap" aria-label={label}>
      {tabs.map(({ id, title, href }) => (
        <a key={id} href={href} {...(id === open ? { 'aria-current': 'page' as const } : {})}>
          {title}
        </a>
      ))}
    </nav>
  );
}
