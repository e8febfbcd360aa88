// SPDX-License-Identifier: Apache-2.0
// Shows the sections that have all words of the query: those with a word in their title first, pages for maintainers last.
const input = document.getElementById('query');
const results = document.getElementById('results');

function search() {
	const words = input.value.toLowerCase().split(/\s+/).filter((word) => word);
	const found = [];
	for (const [address, title, text] of SECTIONS) {
		const heading = title.toLowerCase();
		const body = text.toLowerCase();
		if (words.length && words.every((word) => heading.includes(word) || body.includes(word))) {
			found.push({ address, title, text, body,
				rank: words.filter((word) => heading.includes(word)).length - (address.includes('internals/') ? 100 : 0) });
		}
	}
	found.sort((a, b) => b.rank - a.rank);
	results.replaceChildren(...found.slice(0, 50).map(({ address, title, text, body }) => {
		const item = document.createElement('li');
		const link = document.createElement('a');
		link.href = address;
		link.textContent = title;
		const from = Math.max(0, body.indexOf(words[0]) - 80);
		item.append(link, document.createElement('br'), text.slice(from, from + 240));
		return item;
	}));
	if (words.length && !found.length) {
		results.textContent = 'No page has all of these words.';
	}
}

input.addEventListener('input', search);
input.value = new URLSearchParams(location.search).get('q') || '';
search();
