package io.ringmaster.service.testing;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;

/** A self-made authority with one certificate of its making, in PEM files of a folder. */
public final class TestCertificate {

  /** Of the key store. */
  public static final String PASSWORD = "of no use to anybody";

  private final Path folder;

  private TestCertificate(Path folder) {
    this.folder = folder;
  }

  /**
   * Makes both.
   *
   * @param names for whom the certificate is, as keytool has it: {@code dns:localhost,ip:127.0.0.1}
   */
  public static TestCertificate make(Path folder, String names) {
    try {
      Files.createDirectories(folder);
      var store = Files.createTempDirectory(folder, "made").resolve("keys.p12");
      keytool(store, "ca", "-dname", "CN=Test authority", "-ext", "bc:c=ca:true");
      keytool(store, "web", "-dname", "CN=service", "-signer", "ca", "-ext", "san=" + names);
      var made = new TestCertificate(folder);
      made.write(store);
      return made;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void keytool(Path store, String alias, String... options) throws IOException {
    var command = new ArrayList<String>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "keytool").toString());
    command.addAll(
        List.of("-genkeypair", "-alias", alias, "-keyalg", "EC", "-groupname", "secp256r1"));
    command.addAll(List.of("-validity", "2", "-keystore", store.toString()));
    command.addAll(List.of("-storetype", "PKCS12", "-storepass", PASSWORD));
    command.addAll(List.of(options));
    var process = new ProcessBuilder(command).redirectErrorStream(true).start();
    var said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (process.onExit().join().exitValue() != 0) {
      throw new IOException("keytool: " + said);
    }
  }

  private void write(Path store) throws IOException {
    try (InputStream in = Files.newInputStream(store)) {
      var keys = KeyStore.getInstance("PKCS12");
      keys.load(in, PASSWORD.toCharArray());
      Files.writeString(authority(), pem("CERTIFICATE", keys.getCertificate("ca").getEncoded()));
      var chain = new StringBuilder();
      for (var one : keys.getCertificateChain("web")) {
        chain.append(pem("CERTIFICATE", one.getEncoded()));
      }
      var key = keys.getKey("web", PASSWORD.toCharArray()).getEncoded();
      Files.writeString(folder.resolve("tls.key"), pem("PRIVATE KEY", key));
      Files.writeString(folder.resolve("tls.crt"), chain);
      var only = KeyStore.getInstance("PKCS12");
      only.load(null, null);
      only.setKeyEntry(
          "web",
          keys.getKey("web", PASSWORD.toCharArray()),
          PASSWORD.toCharArray(),
          keys.getCertificateChain("web"));
      try (var out = Files.newOutputStream(keyStore())) {
        only.store(out, PASSWORD.toCharArray());
      }
    } catch (GeneralSecurityException e) {
      throw new IOException(e);
    }
  }

  private static String pem(String what, byte[] content) {
    var lines = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(content);
    return "-----BEGIN %s-----\n%s\n-----END %s-----\n".formatted(what, lines, what);
  }

  /** The file with the authority's own certificate. */
  public Path authority() {
    return folder.resolve("ca.crt");
  }

  /** The certificate with its key, for servers that want a key store. */
  public Path keyStore() {
    return folder.resolve("web.p12");
  }

  /** What a service needs to be told. */
  public String[] settings() {
    var keys = "--spring.ssl.bundle.pem.web.keystore.";
    return new String[] {
      "--server.ssl.bundle=web",
      keys + "certificate=" + folder.resolve("tls.crt"),
      keys + "private-key=" + folder.resolve("tls.key"),
      "--spring.ssl.bundle.pem.web.reload-on-update=true",
      "--spring.ssl.bundle.watch.file.quiet-period=200ms"
    };
  }
}
