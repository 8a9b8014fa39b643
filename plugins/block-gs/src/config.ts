import { defineConfig } from '@srv/kernel';

export const blockGsConfig = defineConfig({ plugin: 'block-gs', keys: {} });

export default blockGsConfig;
