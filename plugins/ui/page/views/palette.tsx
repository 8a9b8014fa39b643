/** The palette: to anything by a few letters. */
import { signal } from '@preact/signals';
import { later } from '@srv/lib-page/page';

const PaletteDialog = later(() => import('./palette-dialog.js').then(module => module.PaletteDialog));

const isOpen = signal(false);

export function openPalette(): void {
  isOpen.value = true;
}

function close(): void {
  isOpen.value = false;
}

export function Palette() {
  return isOpen.value ? <PaletteDialog onClose={close} /> : null;
}
