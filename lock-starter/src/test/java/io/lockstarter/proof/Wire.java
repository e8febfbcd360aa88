// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.proof;

/**
 * How the names of commands show up in what goes over the wire: as an argument, and never
 * so in the source of the script.
 */
final class Wire {

	static final String ACQUIRE = "\nacquire";

	static final String RELEASE = "\nrelease";

	static final String RENEW = "\nrenew";

	private Wire() {
	}

}
