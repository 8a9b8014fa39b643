#!/usr/bin/env node
'use strict';

require('node:module').enableCompileCache?.();

void import('../dist/src/srv/launch.js');
