// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.sample.local;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipal;
import java.util.Set;

/**
 * Files in places where other users may put theirs under the same name.
 */
final class OwnFiles {

	private OwnFiles() {
	}

	/**
	 * Create a directory for this user alone, or make it one.
	 * @throws IOException if it is there already and belongs to somebody else
	 */
	static void createDirectory(Path directory) throws IOException {
		Files.createDirectories(directory);
		checkOwner(directory);
		if (isPosix(directory)) {
			Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwx------"));
		}
	}

	/**
	 * Check that nobody else can have written a file: that it and its directory belong to
	 * this user, are no links, and others may not write there.
	 * @throws IOException if somebody else can
	 */
	static void check(Path file) throws IOException {
		for (Path each : new Path[] { file.toAbsolutePath().getParent(), file }) {
			checkOwner(each);
			if (isPosix(each)) {
				Set<PosixFilePermission> permissions = Files.getPosixFilePermissions(each, LinkOption.NOFOLLOW_LINKS);
				if (permissions.contains(PosixFilePermission.GROUP_WRITE)
						|| permissions.contains(PosixFilePermission.OTHERS_WRITE)) {
					throw new IOException("Others may write to %s: it is not read".formatted(each));
				}
			}
		}
	}

	private static void checkOwner(Path path) throws IOException {
		if (Files.isSymbolicLink(path)) {
			throw new IOException("%s is a link, perhaps of somebody else: it is not used".formatted(path));
		}
		UserPrincipal owner = Files.getOwner(path, LinkOption.NOFOLLOW_LINKS);
		if (!owner.equals(user())) {
			throw new IOException("%s belongs to %s: it is not used".formatted(path, owner.getName()));
		}
	}

	/**
	 * Return who owns what this process creates: in a container, the name of the user may
	 * be unknown.
	 */
	private static UserPrincipal user() throws IOException {
		Path probe = Files.createTempFile("flash-sale", null);
		try {
			return Files.getOwner(probe);
		}
		finally {
			Files.delete(probe);
		}
	}

	private static boolean isPosix(Path path) {
		return Files.getFileAttributeView(path, PosixFileAttributeView.class) != null;
	}

}
