// Colours of instances, and the page's own ones, for what is drawn on a canvas.
const INSTANCES = {
  light: ['#3156d3', '#c96f00', '#0f8a7e', '#8a3fc4', '#b2337a', '#5d7a12'],
  dark: ['#7f9dff', '#f0a441', '#3ec9b8', '#c28bf0', '#ef7fb6', '#a9c95a'],
};
const dark = matchMedia('(prefers-color-scheme: dark)');

export const instanceColour = (name) => {
  const colours = dark.matches ? INSTANCES.dark : INSTANCES.light;
  return colours[(name.charCodeAt(0) - 65) % colours.length];
};

export const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();

export const onSchemeChange = (action) => dark.addEventListener('change', action);
