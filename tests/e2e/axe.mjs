// axe-core as text, for pages to evaluate.
import axe from 'axe-core';

export const axeSource = axe.source;
