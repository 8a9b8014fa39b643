#!/usr/bin/env node
import '../dist/src/srv/main.js';
