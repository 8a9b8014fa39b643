import { definePlugin } from '@srv/kernel';

export default definePlugin({ name: 'block-gs', apply() {} });
