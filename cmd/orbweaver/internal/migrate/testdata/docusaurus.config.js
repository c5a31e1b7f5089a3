// @ts-check
const organization = 'x';
/** @type {import('@docusaurus/types').Config} */
const config = {
  title: 'My Site',
  url: 'https://example.com', // published
  baseUrl: '/project/',
  onBrokenLinks: 'throw',
  onBrokenAnchors: "ignore",
  onBrokenMarkdownLinks: 'warn',
  trailingSlash: false,
  presets: [['classic', { docs: { editUrl: `https://github.com/${organization}/` } }]],
};
module.exports = config;
