// Fails until the fault in median.js is mended: that is what review.json is for.
import { equal } from 'node:assert/strict';
import { median } from './median.js';

equal(median([3, 1, 2]), 2);
equal(median([10, 9, 1]), 9);
equal(median([1, 2]), 1.5);
