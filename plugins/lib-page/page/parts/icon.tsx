/** Small drawings, 16 by 16. Screen readers skip them and read the text beside them. */
import type { IconName } from '../../src/icon-name.js';

const paths: Readonly<Record<IconName, string>> = {
  folder: 'M1.8 4.2c0-.7.5-1.2 1.2-1.2h3.2l1.5 1.7H13c.7 0 1.2.5 1.2 1.2v6c0 .7-.5 1.1-1.2 1.1H3c-.7 0-1.2-.4-1.2-1.1z',
  file: 'M9 1.8H4.3c-.6 0-1 .4-1 1v10.4c0 .6.4 1 1 1h7.4c.6 0 1-.4 1-1V5.5zM9 1.8v3.7h3.7',
  table: 'M2 3h12v10H2zM2 6.300h12M2 9.600h12M6.300 3v10',
  picture: 'M2 3h12v10H2zM2 11l3.500-3.500 3 3L11 8l3 3M10.500 5.800h.01',
  media: 'M2 3h12v10H2zM6.500 5.600v4.800l4-2.400z',
  text: 'M9 1.8H4.3c-.6 0-1 .4-1 1v10.4c0 .6.4 1 1 1h7.4c.6 0 1-.4 1-1V5.5zM5.600 8h4.800M5.600 11h4.800M5.600 5h2',
  archive: 'M2 2.500h12v3H2zM3 5.500v8h10v-8M6.500 8.500h3',
  branch:
    'M4.5 5.3v5.4M4.5 5.3a1.6 1.6 0 100-3.3 1.6 1.6 0 000 3.3zM4.5 14a1.6 1.6 0 100-3.3 1.6 1.6 0 000 3.3zM11.5 6.8a1.6 1.6 0 100-3.3 1.6 1.6 0 000 3.3zM11.5 6.8c0 3-7 1.7-7 3.9',
  tag: 'M2 2.6v4.6l6.4 6.4c.4.4 1 .4 1.4 0l3.8-3.8c.4-.4.4-1 0-1.4L7.2 2H2.6c-.3 0-.6.3-.6.6zM5 5h.01',
  commit: 'M8 10.6a2.6 2.6 0 100-5.2 2.6 2.6 0 000 5.2zM1 8h4.4M10.6 8H15',
  plus: 'M8 3v10M3 8h10',
  close: 'M4 4l8 8M12 4l-8 8',
  search: 'M7.2 12a4.8 4.8 0 100-9.6 4.8 4.8 0 000 9.6zM10.8 10.8L14 14',
  copy: 'M5.6 5.6h7.8v7.8H5.6zM10.4 5.6V2.6H2.6v7.8h3',
  more: 'M3 7.500h.6v.6H3zM7.7 7.500h.6v.6h-.6zM12.4 7.500h.6v.6h-.6z',
  light: 'M8 11a3 3 0 100-6 3 3 0 000 6zM8 1v1.6M8 13.4V15M1 8h1.6M13.4 8H15M3 3l1.2 1.2M11.8 11.8L13 13M13 3l-1.2 1.2M4.2 11.8L3 13',
  dark: 'M13.4 9.6A5.6 5.6 0 016.4 2.6a5.7 5.7 0 107 7z',
  download: 'M8 2v8.2M4.6 7L8 10.4 11.4 7M2.5 13.6h11',
  upload: 'M8 10.6V2.4M4.6 5.6L8 2.2l3.4 3.4M2.5 13.6h11',
  trash: 'M2.5 4h11M6 4V2.4h4V4M4 4l.7 9.6h6.6L12 4M6.6 6.6v4.6M9.4 6.6v4.6',
  swap: 'M2 5.2h11M10.2 2.4L13 5.2 10.2 8M14 10.8H3M5.8 8L3 10.8l2.8 2.8',
  check: 'M3 8.6l3.2 3.2L13 4.6',
  alert: 'M8 5.6v3.2M8 11.4h.01M8 1.8l6.6 12H1.4z',
  info: 'M8 14.2A6.2 6.2 0 108 1.8a6.2 6.2 0 000 12.4zM8 7.2v3.6M8 5.2h.01',
  user: 'M8 8a2.8 2.8 0 100-5.6A2.8 2.8 0 008 8zM2.8 14c.5-2.6 2.6-4 5.2-4s4.7 1.4 5.2 4',
  right: 'M6 3.4L10.6 8 6 12.6',
  down: 'M3.4 6L8 10.6 12.6 6',
  lock: 'M3.6 7.200h8.800v6.400H3.600zM5.4 7.200V5a2.6 2.6 0 015.2 0v2.2',
  play: 'M4.6 2.800v10.400L13 8z',
  settings:
    'M2 4.400h7M12.4 4.400H14M10.7 6.100a1.7 1.7 0 100-3.4 1.7 1.7 0 000 3.400zM2 11.600h1.600M7 11.600h7M5.3 13.300a1.7 1.7 0 100-3.4 1.7 1.7 0 000 3.400z',
  compare:
    'M4 11.400V4.600M4 14.200a1.4 1.4 0 100-2.8 1.4 1.4 0 000 2.800zM4 4.600a1.4 1.4 0 100-2.8 1.4 1.4 0 000 2.800zM12 4.600v6.800M12 14.200a1.4 1.4 0 100-2.8 1.4 1.4 0 000 2.800zM12 4.600a1.4 1.4 0 100-2.8 1.4 1.4 0 000 2.800z',
  merge:
    'M4 5v6M4 14a1.5 1.5 0 100-3 1.5 1.5 0 000 3zM4 5a1.5 1.5 0 100-3 1.5 1.5 0 000 3zM12 9.500a1.5 1.5 0 100-3 1.5 1.5 0 000 3zM10.5 8C7.5 8 4 7.5 4 5',
  terminal: 'M2 3h12v10H2zM4.5 6l2 2-2 2M8.5 10h3',
  refresh: 'M13.4 8a5.4 5.4 0 11-1.6-3.800L13.4 5.800M13.4 2.400v3.400H10',
  database:
    'M8 6.200c3 0 5.2-.9 5.2-2.100S11 2 8 2 2.8 2.9 2.8 4.1 5 6.2 8 6.200zM2.8 4.100v7.800C2.8 13.1 5 14 8 14s5.2-.9 5.2-2.100V4.100M2.8 8c0 1.2 2.2 2.1 5.2 2.100s5.2-.9 5.2-2.1',
  undo: 'M5 3L2 6l3 3M2 6h7.500a4 4 0 010 8H6',
  history: 'M2.6 8a5.4 5.4 0 105.4-5.400c-2 0-3.6 1-4.6 2.500M3 2.400v2.800h2.800M8 5v3.200l2.2 1.3',
  code: 'M5.4 4.600L2 8l3.4 3.400M10.6 4.600L14 8l-3.4 3.4',
  chart: 'M2.5 13.500h11M4.5 11V7M8 11V3M11.5 11V5.5',
  link: 'M6.6 9.400a2.7 2.7 0 004 .2l2-2a2.7 2.7 0 00-3.8-3.800l-1 1M9.4 6.600a2.7 2.7 0 00-4-.2l-2 2a2.7 2.7 0 003.8 3.800l1-1',
};

export type { IconName };

export function Icon({ name, class: more = '' }: { readonly name: IconName; readonly class?: string }) {
  return (
    <svg class={`icon ${more}`} viewBox="0 0 16 16" aria-hidden="true" focusable="false">
      <path d={paths[name]} />
    </svg>
  );
}

export function Brand() {
  return (
    <svg viewBox="0 0 32 32" aria-hidden="true" focusable="false">
      <rect width="32" height="32" rx="7" fill="#0b6785" />
      <path d="M10 11v10M22 11c0 6-12 4-12 10" fill="none" stroke="#fff" stroke-width="2.6" stroke-linecap="round" />
      <circle cx="10" cy="9" r="3" fill="#fff" />
      <circle cx="22" cy="9" r="3" fill="#fff" />
      <circle cx="10" cy="23" r="3" fill="#fff" />
    </svg>
  );
}
