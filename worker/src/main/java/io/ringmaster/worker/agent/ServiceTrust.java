package io.ringmaster.worker.agent;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertPathBuilderException;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.util.Collection;
import java.util.Optional;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;

/** Whose signature makes the certificate of a service believable. */
public final class ServiceTrust {

  private ServiceTrust() {}

  /**
   * Trusts the authorities of a file and no others.
   *
   * @param caFile one or more certificates as PEM
   * @throws IOException when there is none in the file, in words
   */
  public static SSLContext only(Path caFile) throws IOException {
    try {
      var context = SSLContext.getInstance("TLS");
      context.init(null, managers(caFile), null);
      return context;
    } catch (GeneralSecurityException e) {
      throw new IOException("TLS can't be used: " + e.getMessage(), e);
    }
  }

  /**
   * The same for those who make their own context.
   *
   * @throws IOException when there is no certificate in the file, in words
   */
  public static TrustManager[] managers(Path caFile) throws IOException {
    try {
      var certificates = certificates(Files.readAllBytes(caFile));
      if (certificates.isEmpty()) {
        throw new IOException("it holds no certificate");
      }
      var store = KeyStore.getInstance(KeyStore.getDefaultType());
      store.load(null, null);
      int number = 0;
      for (Certificate certificate : certificates) {
        store.setCertificateEntry("ca-" + number++, certificate);
      }
      var trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
      trust.init(store);
      return trust.getTrustManagers();
    } catch (GeneralSecurityException e) {
      throw new IOException("it is no file of PEM certificates: " + e.getMessage(), e);
    }
  }

  private static Collection<? extends Certificate> certificates(byte[] file)
      throws CertificateException {
    return CertificateFactory.getInstance("X.509")
        .generateCertificates(new ByteArrayInputStream(file));
  }

  /**
   * What is wrong with a service's certificate, and what to do; empty when a failure has another
   * cause.
   */
  public static Optional<String> fault(Throwable failure) {
    boolean isOfCertificate = false;
    Throwable cause = failure;
    while (cause != null) {
      if (cause instanceof CertPathBuilderException) {
        return Optional.of(
            "its certificate is signed by nobody who is trusted here; name the authority's"
                + " certificate, a PEM file, with --ca-file or RINGMASTER_CA_FILE");
      }
      isOfCertificate |= cause instanceof CertificateException;
      if (cause.getCause() == null && isOfCertificate) {
        return Optional.of("its certificate isn't good: " + cause.getMessage());
      }
      cause = cause.getCause();
    }
    return Optional.empty();
  }
}
